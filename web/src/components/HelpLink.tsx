import { ActionIcon, Tooltip } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import { useMatches } from "@tanstack/react-router";
import { helpFor } from "./help";

/** The "?" beside a page's title: opens its chapter of the documentation in a new tab. */
export function HelpLink() {
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? "" });
  return (
    <Tooltip label="Read about this page in the documentation">
      <ActionIcon
        component="a"
        href={helpFor(path)}
        target="_blank"
        rel="noopener"
        variant="subtle"
        color="gray"
        aria-label="Help"
      >
        <IconHelp size={20} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
