import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconCrown, IconDoorExit, IconDots, IconUserMinus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { askProjects, type Member, type ProjectPage } from "~/api/projects";
import { keys } from "~/api/queries";
import { Ask } from "~/components/Ask";
import { useDeed } from "~/components/useDeed";
import { isManager } from "./rights";

type MenuProps = { project: ProjectPage; member: Member; isMe: boolean };
type Question = "remove" | "leave" | "hand over";

/** What can be done about one person; nothing that anybody made is ever lost by it. */
export function MemberMenu({ project, member, isMe }: MenuProps) {
  const [question, ask] = useState<Question | null>(null);
  const mayLeave = isMe && !member.is_owner;
  const mayRemove = !isMe && !member.is_owner && isManager(project);
  const mayGive = !isMe && project.role === "owner";
  if (!mayLeave && !mayRemove && !mayGive) return null;
  const close = () => ask(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.name}`}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayGive && (
            <Menu.Item leftSection={<IconCrown size={16} />} onClick={() => ask("hand over")}>
              Transfer ownership…
            </Menu.Item>
          )}
          {mayRemove && (
            <Menu.Item leftSection={<IconUserMinus size={16} />} onClick={() => ask("remove")}>
              Remove from project…
            </Menu.Item>
          )}
          {mayLeave && (
            <Menu.Item leftSection={<IconDoorExit size={16} />} onClick={() => ask("leave")}>
              Leave project…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {question === "remove" && <Remove project={project} member={member} onClose={close} />}
      {question === "leave" && <Leave project={project} member={member} onClose={close} />}
      {question === "hand over" && <HandOver project={project} member={member} onClose={close} />}
    </>
  );
}

type DialogProps = { project: ProjectPage; member: Member; onClose: () => void };

function Remove({ project, member, onClose }: DialogProps) {
  const remove = useDeed({
    by: () => askProjects.removeMember(project.id, member.id),
    renews: [keys.projects],
    done: `${member.name} removed from ${project.name}`,
    onDone: onClose,
  });
  return (
    <Ask
      title={`Remove ${member.name} from ${project.name}?`}
      deed="Remove"
      danger
      isPending={remove.isPending}
      error={remove.error}
      onDo={() => remove.run()}
      onClose={onClose}
    >
      <Text size="sm">
        They can no longer see the project. Jobs they added stay in the project and remain theirs.
      </Text>
    </Ask>
  );
}

function Leave({ project, member, onClose }: DialogProps) {
  const navigate = useNavigate();
  const leave = useDeed({
    by: () => askProjects.removeMember(project.id, member.id),
    renews: [keys.projects],
    done: `You left ${project.name}`,
    onDone: () => void navigate({ to: "/projects" }),
  });
  return (
    <Ask
      title={`Leave ${project.name}?`}
      deed="Leave"
      leave="Cancel"
      danger
      isPending={leave.isPending}
      error={leave.error}
      onDo={() => leave.run()}
      onClose={onClose}
    >
      <Text size="sm">
        You can no longer see other people's work in the project. Jobs you added stay in the project
        and remain yours. To rejoin, you need an invitation.
      </Text>
    </Ask>
  );
}

function HandOver({ project, member, onClose }: DialogProps) {
  const give = useDeed({
    by: () => askProjects.handOver(project.id, member.id),
    renews: [keys.projects],
    done: `${member.name} is now the owner of ${project.name}`,
    onDone: onClose,
  });
  return (
    <Ask
      title={`Transfer ${project.name} to ${member.name}?`}
      deed="Transfer"
      isPending={give.isPending}
      error={give.error}
      onDo={() => give.run()}
      onClose={onClose}
    >
      <Text size="sm">
        {member.name} becomes the owner and you stay as a manager. Jobs keep their owners.
      </Text>
    </Ask>
  );
}
