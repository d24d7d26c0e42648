import { TextInput } from "@mantine/core";
import { useState } from "react";
import { keys } from "~/api/queries";
import { usersApi } from "~/api/users";
import { FormDialog } from "~/components/Ask";
import { InvitationLink } from "~/components/Invited";
import { useAction } from "~/components/useDeed";

/** To this Diamond, and to no project. */
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
