import { TextInput } from "@mantine/core";
import { useState } from "react";
import { keys } from "~/api/queries";
import { askUsers } from "~/api/users";
import { Ask } from "~/components/Ask";
import { Invited } from "~/components/Invited";
import { useDeed } from "~/components/useDeed";

/** To this Diamond, and to no project. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const invite = useDeed({
    by: () => askUsers.invite(email.trim(), 14),
    renews: [keys.invitations],
    onDone: () => setEmail(""),
  });
  return (
    <Ask
      title="Invite someone"
      deed="Create link"
      leave={invite.isSuccess ? "Close" : "Cancel"}
      isPending={invite.isPending}
      error={invite.error}
      onDo={() => invite.run()}
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
      {invite.data && <Invited invitation={invite.data} />}
    </Ask>
  );
}
