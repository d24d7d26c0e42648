import { Button, Stack, Text } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { endpointsApi, useEndpointAction } from "./api";

type PairingDetails = Pick<Schemas["Pairing"], "pairing_code" | "line">;

/** The command for the login node and the pairing code; a new code on request. */
export function PairingCode({ name, first }: { name: string; first?: PairingDetails }) {
  const newCode = useEndpointAction({ call: () => endpointsApi.newPairingCode(name) });
  const pairing = newCode.data ?? first;
  return (
    <Stack gap="sm" align="stretch">
      {pairing && <PairingLines given={pairing} />}
      <Button
        size="xs"
        variant="default"
        loading={newCode.isPending}
        onClick={() => newCode.run()}
        style={{ alignSelf: "flex-start" }}
      >
        {pairing ? "New code" : "Show pairing code"}
      </Button>
    </Stack>
  );
}

function PairingLines({ given }: { given: PairingDetails }) {
  return (
    <>
      <Text size="sm">Run this on the cluster's login node:</Text>
      <CopyLine line={given.line} />
      <Text size="sm">When asked, enter this code. It works once, for ten minutes:</Text>
      <CopyLine line={given.pairing_code} label="Copy the code" />
    </>
  );
}
