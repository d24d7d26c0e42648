import { ActionIcon, Box, CopyButton, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import classes from "./CopyLine.module.css";

/** A command or text to copy. */
export function CopyLine({ line, label = "Copy the command" }: { line: string; label?: string }) {
  return (
    <Group className={classes.line} gap="xs" wrap="nowrap">
      <Box component="code" className={classes.text}>
        {line}
      </Box>
      <CopyButton value={line}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : label}>
            <ActionIcon
              variant="subtle"
              color={copied ? "teal" : "gray"}
              onClick={copy}
              aria-label={label}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
