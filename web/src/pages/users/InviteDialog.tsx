import { TextInput } from "@mantine/core";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { useAction } from "~/components/useAction";
import { usersApi } from "~/people/api";
import { InvitationLink } from "~/people/InvitationLink";

/** To this Diamond, without a project. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const invite = useAction({
    call: () => usersApi.invite(email.trim(), 14),
    refresh: [keys.invitations],
    onSuccess: () => setEmail(""),
  });
  return (
    <FormDialog
      title="Invite someone"
      submitLabel="Create link"
      cancelLabel={invite.isSuccess ? "Close" : "Cancel"}
      isPending={invite.isPending}
      error={invite.error}
      onSubmit={() => invite.run()}
      onClose={onClose}
    >
      <TextInput
        label="E-mail address"
        type="email"
        description="The link works only for someone who signs in with this verified address. Leave empty for a link that anyone can use once."
        placeholder="grace@example.edu"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        data-autofocus
      />
      {invite.data && <InvitationLink invitation={invite.data} />}
    </FormDialog>
  );
}
