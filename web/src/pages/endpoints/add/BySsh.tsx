import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { CopyLine } from "~/components/CopyLine";
import { addCommand } from "./addCommand";
import { ConnectionProgress } from "./ConnectionProgress";

/** Builds the command from host and name, and notices when the machine connects. */
export function BySsh({ onClose }: { onClose: () => void }) {
  const [host, setHost] = useState("");
  const [typed, setTyped] = useState<string | null>(null);
  const name = typed ?? host.replace(/^.*@/, "").split(".")[0] ?? "";
  return (
    <Stack gap="md">
      <TextInput
        label="Host"
        description="What you type after ssh: an alias from your ssh configuration, or user@host."
        placeholder="login.cluster.edu"
        value={host}
        onChange={(event) => setHost(event.currentTarget.value.trim())}
        data-autofocus
      />
      <TextInput
        label="Name"
        description="A short name to use in jobs."
        placeholder="mycluster"
        value={name}
        onChange={(event) => setTyped(event.currentTarget.value.trim())}
      />
      {host && name && (
        <>
          <div>
            <Text size="sm" mb={6}>
              Run this in a terminal on the computer where Diamond runs:
            </Text>
            <CopyLine line={addCommand(name, host)} />
          </div>
          <ConnectionProgress name={name} onClose={onClose}>
            Sign in there as usual. If something goes wrong, the terminal shows why.
          </ConnectionProgress>
        </>
      )}
    </Stack>
  );
}
