import { Button, Stack, Text } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { ask, useDeed } from "../actions";

type Given = Pick<Schemas["Pairing"], "pairing_code" | "line">;

/** The line for the login node and the code that it asks for; a fresh code for the asking. */
export function PairingCode({ name, first }: { name: string; first?: Given }) {
  const renew = useDeed({ by: () => ask.pairAgain(name) });
  const given = renew.data ?? first;
  return (
    <Stack gap="sm" align="stretch">
      {given && <Lines given={given} />}
      <Button
        size="xs"
        variant="default"
        loading={renew.isPending}
        onClick={() => renew.run()}
        style={{ alignSelf: "flex-start" }}
      >
        {given ? "New code" : "Show pairing code"}
      </Button>
    </Stack>
  );
}

function Lines({ given }: { given: Given }) {
  return (
    <>
      <Text size="sm">Run this on the cluster's login node:</Text>
      <CopyLine line={given.line} />
      <Text size="sm">When asked, enter this code. It works once, for ten minutes:</Text>
      <CopyLine line={given.pairing_code} label="Copy the code" />
    </>
  );
}
