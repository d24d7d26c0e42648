import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { Schemas } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { endpointsApi, useEndpointAction } from "~/endpoints/api";
import { PairingCode } from "~/endpoints/PairingCode";
import { ConnectionProgress } from "./ConnectionProgress";

/** A name, then the command and pairing code, then the owner's confirmation. */
export function ByPairing({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const { profile = "" } = useSearch({ from: "/endpoints" });
  const add = useEndpointAction({
    call: () => endpointsApi.add({ name, carrier: "https", ssh_host: "", profile }),
    ownErrorDisplay: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.run();
  };
  if (add.data) return <PairingInstructions added={add.data} onClose={onClose} />;
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="A short name to use in jobs: letters, digits, dots, - and _."
          placeholder="mycluster"
          value={name}
          onChange={(event) => setName(event.currentTarget.value.trim())}
          data-autofocus
        />
        {add.error && <ErrorAlert error={add.error} />}
        <Group>
          <Button type="submit" disabled={!name} loading={add.isPending}>
            Show pairing code
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PairingInstructions({
  added,
  onClose,
}: {
  added: Schemas["EndpointAdded"];
  onClose: () => void;
}) {
  const { name } = added.endpoint;
  const first =
    added.line && added.pairing_code
      ? { line: added.line, pairing_code: added.pairing_code }
      : undefined;
  return (
    <Stack gap="md">
      <PairingCode name={name} first={first} />
      <ConnectionProgress name={name} onClose={onClose}>
        You can close this dialog. The endpoint page keeps waiting.
      </ConnectionProgress>
    </Stack>
  );
}
