import { Alert, Stack, Text } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import type { Schemas } from "~/api/client";
import { CopyLine } from "./CopyLine";
import { Ago } from "./Time";

/** An invitation's link, shown this once. */
export function Invited({ invitation }: { invitation: Schemas["NewInvitation"] }) {
  return (
    <Alert
      color="teal"
      icon={<IconLink />}
      title={invitation.email ? `A link for ${invitation.email}` : "A link to invite one person"}
      role="status"
    >
      <Stack gap="xs">
        <Text size="sm">
          Diamond sends no mail for it: hand this link over yourself
          {invitation.email && ", or have her sign in with that address, which does without it"}. It
          works once, and ends <Ago at={invitation.expires} />. It is not shown again.
        </Text>
        <CopyLine line={invitation.url} label="Copy the link" />
      </Stack>
    </Alert>
  );
}
