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
      if (!invitation) sayDone(`${email} is in ${project.name} now`);
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
            label="Address"
            type="email"
            description="Who has an account here is in at once. Anybody else gets a link that works once, for this address only. Left empty, the link is for whoever has it."
            placeholder="grace@example.edu"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            data-autofocus
          />
          <Select
            label="As"
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
              {add.isSuccess ? "Close" : "Leave it"}
            </Button>
            <Button type="submit" loading={add.isPending}>
              {email.trim() ? "Add" : "Make a link"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
