import { Alert, Button, Group, Stack } from "@mantine/core";
import { IconMailOpened } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { keys } from "~/api/queryKeys";
import { ProblemDetails } from "~/components/ErrorAlert";
import { useAction } from "~/components/useAction";
import { projectsApi } from "~/projects/api";
import { invitationQuery, invitationTitle } from "~/projects/invitation";

/** Someone with an account opened an invitation link. */
export default function Invitation({ code }: { code: string }) {
  const navigate = useNavigate();
  const accept = useAction({
    call: () => projectsApi.acceptInvitation(code),
    refresh: [keys.projects, keys.me],
    success: "You joined the project",
    onSuccess: () => void navigate({ to: "/projects" }),
  });
  const { data: shown } = useQuery(invitationQuery(code));
  return (
    <Alert
      color={accept.error ? "red" : "teal"}
      icon={<IconMailOpened />}
      title={accept.error?.message ?? invitationTitle(shown)}
      mb="md"
    >
      <Stack gap="sm" align="flex-start">
        {accept.error ? (
          <ProblemDetails error={accept.error} />
        ) : (
          "Members will see your name and e-mail address, and you will see the jobs in the project."
        )}
        <Group gap="xs">
          {!accept.error && (
            <Button size="xs" loading={accept.isPending} onClick={() => accept.run()}>
              Accept invitation
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            onClick={() => void navigate({ to: "/", search: {} })}
          >
            {accept.error ? "Close" : "Not now"}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
