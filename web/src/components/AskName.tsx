import { TextInput } from "@mantine/core";
import { Ask } from "./Ask";

type AskNameProps = {
  title: string;
  /** What another name means for others. */
  description: string;
  name: string;
  onName: (name: string) => void;
  deed: { isPending: boolean; error: Error | null; run: () => void };
  onClose: () => void;
};

/** A dialog that asks for another name. */
export function AskName({ title, description, name, onName, deed, onClose }: AskNameProps) {
  return (
    <Ask
      title={title}
      deed="Rename"
      isPending={deed.isPending}
      isReady={Boolean(name.trim())}
      error={deed.error}
      onDo={() => deed.run()}
      onClose={onClose}
    >
      <TextInput
        label="New name"
        description={description}
        value={name}
        onChange={(event) => onName(event.currentTarget.value)}
        data-autofocus
      />
    </Ask>
  );
}
