import { NumberInput, SimpleGrid, Stack, Text } from "@mantine/core";
import { FOLDER_LABELS } from "~/endpoints/facts";
import { GIGABYTE } from "~/lib/format";
import type { CorrectableField, Folders } from "./folders";

type FolderFieldsProps = { folders: Folders; onFolders: (folders: Folders) => void };

/** Quota and purge age of each folder. No machine reports the latter. */
export function FolderFields({ folders, onFolders }: FolderFieldsProps) {
  return (
    <Stack gap="sm">
      {Object.entries(folders).map(([name, folder]) => {
        const change = (word: CorrectableField, value: number | string, unit = 1) => {
          const amount = value === "" ? null : Math.round(Number(value) * unit);
          onFolders({ ...folders, [name]: { ...folder, [word]: amount } });
        };
        const label = FOLDER_LABELS[name] ?? name;
        return (
          <fieldset key={name} style={{ border: 0, margin: 0, padding: 0 }}>
            <Text component="legend" size="sm" fw={550}>
              {label}
            </Text>
            <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {folder.path}
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs" mt={4}>
              <NumberInput
                size="xs"
                label="Quota (GB)"
                min={0}
                decimalScale={3}
                value={folder.quota_bytes ? folder.quota_bytes / GIGABYTE : ""}
                onChange={(value) => change("quota_bytes", value, GIGABYTE)}
              />
              <NumberInput
                size="xs"
                label="File limit"
                min={0}
                allowDecimal={false}
                thousandSeparator=" "
                value={folder.quota_files ?? ""}
                onChange={(value) => change("quota_files", value)}
              />
              <NumberInput
                size="xs"
                label="Deleted after (days)"
                min={0}
                value={folder.purge_days ?? ""}
                onChange={(value) => change("purge_days", value)}
              />
            </SimpleGrid>
          </fieldset>
        );
      })}
    </Stack>
  );
}
