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
          <ActionIcon variant="subtle" color="gray" aria-label={`More about ${member.name}`}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayGive && (
            <Menu.Item leftSection={<IconCrown size={16} />} onClick={() => ask("hand over")}>
              Hand the project over…
            </Menu.Item>
          )}
          {mayRemove && (
            <Menu.Item leftSection={<IconUserMinus size={16} />} onClick={() => ask("remove")}>
              Remove from the project…
            </Menu.Item>
          )}
          {mayLeave && (
            <Menu.Item leftSection={<IconDoorExit size={16} />} onClick={() => ask("leave")}>
              Leave the project…
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
    done: `${member.name} is no longer in ${project.name}`,
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
        She no longer sees the work of the project. What she has put into it stays in it, and hers.
      </Text>
    </Ask>
  );
}

function Leave({ project, member, onClose }: DialogProps) {
  const navigate = useNavigate();
  const leave = useDeed({
    by: () => askProjects.removeMember(project.id, member.id),
    renews: [keys.projects],
    done: `You have left ${project.name}`,
    onDone: () => void navigate({ to: "/projects" }),
  });
  return (
    <Ask
      title={`Leave ${project.name}?`}
      deed="Leave"
      leave="Stay"
      danger
      isPending={leave.isPending}
      error={leave.error}
      onDo={() => leave.run()}
      onClose={onClose}
    >
      <Text size="sm">
        You no longer see the work of others in it. What you have put into it stays in it, and
        yours. To come back you need an invitation.
      </Text>
    </Ask>
  );
}

function HandOver({ project, member, onClose }: DialogProps) {
  const give = useDeed({
    by: () => askProjects.handOver(project.id, member.id),
    renews: [keys.projects],
    done: `${project.name} belongs to ${member.name} now`,
    onDone: onClose,
  });
  return (
    <Ask
      title={`Hand ${project.name} over to ${member.name}?`}
      deed="Hand it over"
      isPending={give.isPending}
      error={give.error}
      onDo={() => give.run()}
      onClose={onClose}
    >
      <Text size="sm">
        {member.name} becomes its owner; you stay in it as a manager. Jobs keep their own owners.
      </Text>
    </Ask>
  );
}
