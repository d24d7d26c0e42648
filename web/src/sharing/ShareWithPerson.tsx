import { Button, Group, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";

type ShareWithPersonProps = { isBusy: boolean; onAdd: (address: string) => Promise<unknown> };

/** Needs the full address, so that nobody can browse the list of people. A rejected address stays typed. */
export function ShareWithPerson({ isBusy, onAdd }: ShareWithPersonProps) {
  const [address, setAddress] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAdd(address.trim()).then(
      () => setAddress(""),
      () => undefined,
    );
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Share with a person"
          placeholder="full e-mail address"
          flex={1}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          spellCheck={false}
          data-autofocus
        />
        <Button type="submit" variant="light" disabled={!address.trim()} loading={isBusy}>
          Share
        </Button>
      </Group>
    </form>
  );
}
