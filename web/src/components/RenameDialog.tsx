import { TextInput } from "@mantine/core";
import { FormDialog } from "./FormDialog";

type RenameDialogProps = {
  title: string;
  /** What the new name affects. */
  description: string;
  name: string;
  onName: (name: string) => void;
  action: { isPending: boolean; error: Error | null; run: () => void };
  onClose: () => void;
};

export function RenameDialog({
  title,
  description,
  name,
  onName,
  action,
  onClose,
}: RenameDialogProps) {
  return (
    <FormDialog
      title={title}
      submitLabel="Rename"
      isPending={action.isPending}
      isReady={Boolean(name.trim())}
      error={action.error}
      onSubmit={() => action.run()}
      onClose={onClose}
    >
      <TextInput
        label="New name"
        description={description}
        value={name}
        onChange={(event) => onName(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  );
}
