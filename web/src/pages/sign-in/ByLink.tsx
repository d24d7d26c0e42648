import { Text } from "@mantine/core";
import { CopyLine } from "~/components/CopyLine";

/** For the one person of an embedded Diamond. */
export function ByLink() {
  return (
    <>
      <Text size="sm">
        This Diamond belongs to one person. On the machine where it runs, type the line below: it
        opens these pages, signed in, by a link that works once.
      </Text>
      <CopyLine line="diamond open" />
      <Text size="sm" c="dimmed">
        Without a browser on that machine it prints the link; open it here within ten minutes.
      </Text>
    </>
  );
}
