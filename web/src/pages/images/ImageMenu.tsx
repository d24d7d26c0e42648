import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArrowsDiff,
  IconCloudUpload,
  IconDots,
  IconHammer,
  IconPencil,
  IconTrash,
  IconUsersPlus,
  type TablerIcon,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { type Image, imageName } from "~/api/images";
import { meQuery } from "~/api/queries";
import { Delete, Push, Rename } from "./dialogs";

const ShareImage = lazy(() => import("./ShareImage"));

type Dialog = "share" | "rename" | "push" | "delete" | null;

/** What can be done with an image. What is not allowed is refused by the service, in its words. */
export function ImageMenu({ image }: { image: Image }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
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
          {me?.mode === "shared" && (
            <Item icon={IconUsersPlus} onClick={() => setDialog("share")}>
              Share…
            </Item>
          )}
          <Menu.Divider />
          <Item icon={IconPencil} onClick={() => setDialog("rename")}>
            Rename…
          </Item>
          <Item icon={IconTrash} c="var(--mantine-color-error)" onClick={() => setDialog("delete")}>
            Delete…
          </Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>{dialog === "share" && <ShareImage {...props} />}</Suspense>
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
