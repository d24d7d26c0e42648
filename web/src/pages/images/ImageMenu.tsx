import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArrowsDiff,
  IconCloudUpload,
  IconDots,
  IconHammer,
  IconPencil,
  IconTrash,
  type TablerIcon,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Image, imageName } from "~/api/images";
import { Delete, Push, Rename } from "./dialogs";

type Dialog = "rename" | "push" | "delete" | null;

/** What can be done with an image. What is not allowed is refused by the service, in its words. */
export function ImageMenu({ image }: { image: Image }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const navigate = useNavigate();
  const props = { image, onClose: () => setDialog(null) };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`More about ${imageName(image)}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Item
            icon={IconHammer}
            onClick={() => void navigate({ to: "/build", search: { from: image.id } })}
          >
            Change it and build again
          </Item>
          <Item
            icon={IconArrowsDiff}
            onClick={() => void navigate({ to: "/images/compare", search: { a: image.id } })}
          >
            Compare with another
          </Item>
          <Item icon={IconCloudUpload} onClick={() => setDialog("push")}>
            Put into a registry…
          </Item>
          <Menu.Divider />
          <Item icon={IconPencil} onClick={() => setDialog("rename")}>
            Rename…
          </Item>
          <Item icon={IconTrash} c="var(--mantine-color-error)" onClick={() => setDialog("delete")}>
            Delete…
          </Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === "rename" && <Rename {...props} />}
      {dialog === "push" && <Push {...props} />}
      {dialog === "delete" && <Delete {...props} />}
    </>
  );
}

type ItemProps = {
  icon: TablerIcon;
  c?: string;
  onClick: () => void;
  children: React.ReactNode;
};

function Item({ icon: Icon, children, ...props }: ItemProps) {
  return (
    <Menu.Item leftSection={<Icon size={16} stroke={1.6} aria-hidden />} {...props}>
      {children}
    </Menu.Item>
  );
}
