import { Button, FileButton, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFileImport, IconPackage } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { showError } from "~/components/toasts";
import { imagesApi } from "~/images/api";
import { ImagePicker } from "~/images/ImagePicker";
import { useBuilder } from "./context";

const ACCEPTED_FILES = ".txt,.in,.yml,.yaml,.def,.recipe,Dockerfile,.Dockerfile,text/plain";

/** Start from an existing file or image. */
export function StartFrom({ isFilled }: { isFilled: boolean }) {
  const { draft } = useBuilder();
  const [picking, { open, close }] = useDisclosure(false);
  const importFile = useMutation({
    mutationFn: async (file: File) =>
      imagesApi.import({ name: file.name, text: await file.text() }),
    onSuccess: ({ environment, left_out, copies }, file) =>
      draft.change((work) => ({
        ...work,
        spec: environment,
        imported: { name: file.name, leftOut: left_out, copies },
      })),
    onError: showError,
  });
  return (
    <Group gap="xs">
      <Text size="sm">{isFilled ? "Filled in. Or start from" : "Start from"}</Text>
      <FileButton onChange={(file) => file && importFile.mutate(file)} accept={ACCEPTED_FILES}>
        {(props) => (
          <Button
            {...props}
            size="xs"
            variant="default"
            loading={importFile.isPending}
            leftSection={<IconFileImport size={15} aria-hidden />}
          >
            A file
          </Button>
        )}
      </FileButton>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPackage size={15} aria-hidden />}
        onClick={open}
      >
        An image
      </Button>
      <Text size="xs" c="dimmed" visibleFrom="xl">
        requirements.txt, environment.yml, Dockerfile or .def
      </Text>
      <PickImage opened={picking} onClose={close} />
    </Group>
  );
}

function PickImage({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Modal opened={opened} onClose={onClose} title="Start from an image">
      <Stack gap="sm">
        <Text size="sm">
          The form is filled in with its environment. Unchanged steps are not built again.
        </Text>
        <ImagePicker
          label="Image"
          value=""
          onPick={(image) => {
            onClose();
            if (image) void navigate({ to: "/build", search: { from: image.id } });
          }}
        />
      </Stack>
    </Modal>
  );
}
