import { Text } from "@mantine/core";
import { CopyLine } from "~/components/CopyLine";

/** For a personal Diamond. */
export function OneTimeLink() {
  return (
    <>
      <Text size="sm">
        This is a personal Diamond. Run this command on the machine where it runs to open these
        pages and sign in:
      </Text>
      <CopyLine line="diamond open" />
      <Text size="sm" c="dimmed">
        If that machine has no browser, the command prints a link. Open it here within ten minutes.
      </Text>
    </>
  );
}
