import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { showSuccess } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { InvitationLink } from "~/people/InvitationLink";
import { addOrInvite, type ProjectPage, type ProjectRole, ROLES } from "~/projects/api";
import { RoleOption } from "./PeopleTab";

/** People with an account are added immediately; others get a link that works once. */
export function AddPeople({ project, onClose }: { project: ProjectPage; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("member");
  const add = useAction({
    call: () => addOrInvite(project.id, { email: email.trim(), role, days: 14 }),
    refresh: [keys.projects, keys.invitations],
    onSuccess: (invitation) => {
      if (!invitation) showSuccess(`${email} added to ${project.name}`);
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
          {add.error && <ErrorAlert error={add.error} />}
          {add.data && <InvitationLink invitation={add.data} />}
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
