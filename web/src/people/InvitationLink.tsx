import { Alert, Stack, Text } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import type { Schemas } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { TimeAgo } from "~/components/Time";

/** A new invitation link, shown only once. */
export function InvitationLink({ invitation }: { invitation: Schemas["NewInvitation"] }) {
  return (
    <Alert
      color="teal"
      icon={<IconLink />}
      title={
        invitation.email
          ? `Invitation link for ${invitation.email}`
          : "Invitation link for one person"
      }
      role="status"
    >
      <Stack gap="xs">
        <Text size="sm">
          Diamond does not send it by e-mail, so send it yourself
          {invitation.email && ", or ask them to sign in with that address (no link needed)"}. It
          works once and expires <TimeAgo at={invitation.expires} />. It is not shown again.
        </Text>
        <CopyLine line={invitation.url} label="Copy the link" />
      </Stack>
    </Alert>
  );
}
