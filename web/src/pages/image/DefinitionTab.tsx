import { Button, Card, Group, SegmentedControl, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CodeText } from "~/components/CodeText";
import { QueryResult } from "~/components/QueryResult";
import { type DefinitionFormat, definitionQuery, type Image, imageName } from "~/images/api";
import { downloadText } from "~/lib/download";

const FORMATS: { value: DefinitionFormat; label: string; ending: string }[] = [
  { value: "definition", label: "Apptainer definition", ending: ".def" },
  { value: "dockerfile", label: "Dockerfile", ending: ".Dockerfile" },
  { value: "script", label: "Shell script", ending: ".sh" },
];

/** The definition file, usable without Diamond. */
export function DefinitionTab({ image }: { image: Image }) {
  const [form, setForm] = useState<DefinitionFormat>(formOf(image));
  const query = useQuery(definitionQuery(image.id, form));
  const ending = FORMATS.find((format) => format.value === form)?.ending ?? "";
  return (
    <Card padding={0} component="section" aria-label="Definition">
      <Group justify="space-between" p="xs" gap="xs">
        <SegmentedControl
          aria-label="Format"
          data={FORMATS.map(({ value, label }) => ({ value, label }))}
          value={form}
          onChange={(next) => setForm(next as DefinitionFormat)}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
          disabled={!query.data}
          onClick={() =>
            downloadText(`${imageName(image)}${ending}`, query.data ?? "", "text/plain")
          }
        >
          Download {imageName(image)}
          {ending}
        </Button>
      </Group>
      <Text size="xs" c="dimmed" px="md">
        You can also build from this file without Diamond.
      </Text>
      <QueryResult query={query}>
        {(text) => <CodeText label="Definition" text={text} />}
      </QueryResult>
    </Card>
  );
}

/** The format of the tool that built it. */
function formOf({ built }: Image): DefinitionFormat {
  if (built.runtime === "venv") return "script";
  return built.runtime === "podman" || built.runtime === "docker" ? "dockerfile" : "definition";
}
