import { Accordion, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CodeText } from "~/components/CodeText";
import { formatBytes } from "~/lib/format";
import { recipeQuery } from "../start/queries";

/** The files of a recipe, read-only. */
export function RecipeCode({ name }: { name: string }) {
  const { data } = useQuery(recipeQuery(name));
  const about = { path: "README.md", size: data?.readme.length ?? 0, text: data?.readme ?? "" };
  return (
    <Stack gap={4} id="field-code" tabIndex={-1}>
      <Text size="sm" fw={500}>
        Code
      </Text>
      <Text size="xs" c="dimmed">
        Included in the recipe {data?.title ?? name}:
      </Text>
      <Accordion variant="contained" mt={4} chevronPosition="left">
        {[about, ...(data?.files ?? [])].map((file) => (
          <Accordion.Item key={file.path} value={file.path}>
            <Accordion.Control>
              <Text size="sm" span ff="monospace">
                {file.path}
              </Text>{" "}
              <Text size="xs" span c="dimmed">
                {formatBytes(file.size)}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <CodeText label={file.path} text={file.text} short />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}
