import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { meQuery } from "~/people/me";
import { projectQuery, sharedWithMeQuery } from "~/projects/api";

/** The task's project, and its owner if that is someone else. */
export function OwnerAndProject({ task }: { task: Task }) {
  const { data: me } = useQuery(meQuery);
  const isOtherPersons = me !== undefined && me.id !== task.owner;
  const project = useQuery({ ...projectQuery(task.project), enabled: Boolean(task.project) });
  const shared = useQuery({ ...sharedWithMeQuery, enabled: isOtherPersons });
  const owner =
    project.data?.members.find((member) => member.id === task.owner)?.name ??
    shared.data?.items.find((share) => share.thing === task.job)?.by;
  return (
    <>
      {isOtherPersons && <Text size="sm">by {owner ?? "someone else"}</Text>}
      {project.data && (
        <Text size="sm">
          in{" "}
          <Anchor
            underline="always"
            size="sm"
            renderRoot={(props) => (
              <Link to="/projects/$project" params={{ project: task.project }} {...props} />
            )}
          >
            {project.data.name}
          </Anchor>
        </Text>
      )}
    </>
  );
}
