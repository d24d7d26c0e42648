import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { addOrInvite, type ProjectPage, type ProjectRole, ROLES } from "~/api/projects";
import { keys } from "~/api/queries";
import { Failed } from "~/components/Answer";
import { Invited } from "~/components/Invited";
import { sayDone } from "~/components/say";
import { useDeed } from "~/components/useDeed";
import { RoleOption } from "./People";

/** By address: who has an account is in at once, others by a link that works once. */
export function AddPeople({ project, onClose }: { project: ProjectPage; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("member");
  const add = useDeed({
    by: () => addOrInvite(project.id, { email: email.trim(), role, days: 14 }),
    renews: [keys.projects, keys.invitations],
    onDone: (invitation) => {
      if (!invitation) sayDone(`${email} added to ${project.name}`);
      setEmail("");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.run();
  };
  return (
    <Modal opened onClose={onClose} title={`Add people to ${project.name}`}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="E-mail address"
            type="email"
            description="People with an account are added immediately. For anyone else you get an invitation link for this address. Leave empty for a link that anyone can use once."
            placeholder="grace@example.edu"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            data-autofocus
          />
          <Select
            label="Role"
            data={ROLES}
            value={role}
            onChange={(chosen) => chosen && setRole(chosen)}
            allowDeselect={false}
            renderOption={({ option }) => <RoleOption role={option.value} />}
          />
          {add.error && <Failed error={add.error} />}
          {add.data && <Invited invitation={add.data} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {add.isSuccess ? "Close" : "Cancel"}
            </Button>
            <Button type="submit" loading={add.isPending}>
              {email.trim() ? "Add" : "Create link"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
