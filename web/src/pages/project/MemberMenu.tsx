import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconCrown, IconDoorExit, IconDots, IconUserMinus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { useAction } from "~/components/useAction";
import { type Member, type ProjectPage, projectsApi } from "~/projects/api";
import { isManager } from "~/projects/permissions";

type MenuProps = { project: ProjectPage; member: Member; isMe: boolean };
type Question = "remove" | "leave" | "hand over";

/** Actions on a member. Nobody's work is ever lost by them. */
export function MemberMenu({ project, member, isMe }: MenuProps) {
  const [question, setQuestion] = useState<Question | null>(null);
  const canLeave = isMe && !member.is_owner;
  const canRemove = !isMe && !member.is_owner && isManager(project);
  const canTransfer = !isMe && project.role === "owner";
  if (!canLeave && !canRemove && !canTransfer) return null;
  const close = () => setQuestion(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.name}`}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {canTransfer && (
            <Menu.Item
              leftSection={<IconCrown size={16} />}
              onClick={() => setQuestion("hand over")}
            >
              Transfer ownership…
            </Menu.Item>
          )}
          {canRemove && (
            <Menu.Item
              leftSection={<IconUserMinus size={16} />}
              onClick={() => setQuestion("remove")}
            >
              Remove from project…
            </Menu.Item>
          )}
          {canLeave && (
            <Menu.Item
              leftSection={<IconDoorExit size={16} />}
              onClick={() => setQuestion("leave")}
            >
              Leave project…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {question === "remove" && <RemoveMember project={project} member={member} onClose={close} />}
      {question === "leave" && <LeaveProject project={project} member={member} onClose={close} />}
      {question === "hand over" && (
        <TransferOwnership project={project} member={member} onClose={close} />
      )}
    </>
  );
}

type DialogProps = { project: ProjectPage; member: Member; onClose: () => void };

function RemoveMember({ project, member, onClose }: DialogProps) {
  const remove = useAction({
    call: () => projectsApi.removeMember(project.id, member.id),
    refresh: [keys.projects],
    success: `${member.name} removed from ${project.name}`,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Remove ${member.name} from ${project.name}?`}
      submitLabel="Remove"
      danger
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">
        They can no longer see the project. Jobs they added stay in the project and remain theirs.
      </Text>
    </FormDialog>
  );
}

function LeaveProject({ project, member, onClose }: DialogProps) {
  const navigate = useNavigate();
  const leave = useAction({
    call: () => projectsApi.removeMember(project.id, member.id),
    refresh: [keys.projects],
    success: `You left ${project.name}`,
    onSuccess: () => void navigate({ to: "/projects" }),
  });
  return (
    <FormDialog
      title={`Leave ${project.name}?`}
      submitLabel="Leave"
      cancelLabel="Cancel"
      danger
      isPending={leave.isPending}
      error={leave.error}
      onSubmit={() => leave.run()}
      onClose={onClose}
    >
      <Text size="sm">
        You can no longer see other people's work in the project. Jobs you added stay in the project
        and remain yours. To rejoin, you need an invitation.
      </Text>
    </FormDialog>
  );
}

function TransferOwnership({ project, member, onClose }: DialogProps) {
  const transfer = useAction({
    call: () => projectsApi.transferOwnership(project.id, member.id),
    refresh: [keys.projects],
    success: `${member.name} is now the owner of ${project.name}`,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Transfer ${project.name} to ${member.name}?`}
      submitLabel="Transfer"
      isPending={transfer.isPending}
      error={transfer.error}
      onSubmit={() => transfer.run()}
      onClose={onClose}
    >
      <Text size="sm">
        {member.name} becomes the owner and you stay as a manager. Jobs keep their owners.
      </Text>
    </FormDialog>
  );
}
