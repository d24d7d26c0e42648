import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArrowsDiff,
  IconCloudUpload,
  IconDots,
  IconHammer,
  IconPencil,
  IconTrash,
  IconUsersPlus,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { MenuItem } from "~/components/MenuItem";
import { type Image, imageName } from "~/images/api";
import { meQuery } from "~/people/me";
import { DeleteImage, PushImage, RenameImage } from "./dialogs";

const ShareImage = lazy(() => import("./ShareImage"));

type Dialog = "share" | "rename" | "push" | "delete" | null;

/** Actions on an image. The service rejects what is not allowed. */
export function ImageMenu({ image }: { image: Image }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const props = { image, onClose: () => setDialog(null) };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`Actions for ${imageName(image)}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuItem
            icon={IconHammer}
            onClick={() => void navigate({ to: "/build", search: { from: image.id } })}
          >
            Edit and rebuild
          </MenuItem>
          <MenuItem
            icon={IconArrowsDiff}
            onClick={() => void navigate({ to: "/images/compare", search: { a: image.id } })}
          >
            Compare with another image
          </MenuItem>
          <MenuItem icon={IconCloudUpload} onClick={() => setDialog("push")}>
            Push to a registry…
          </MenuItem>
          {me?.mode === "shared" && (
            <MenuItem icon={IconUsersPlus} onClick={() => setDialog("share")}>
              Share…
            </MenuItem>
          )}
          <Menu.Divider />
          <MenuItem icon={IconPencil} onClick={() => setDialog("rename")}>
            Rename…
          </MenuItem>
          <MenuItem icon={IconTrash} danger onClick={() => setDialog("delete")}>
            Delete…
          </MenuItem>
        </Menu.Dropdown>
      </Menu>
      <Suspense>{dialog === "share" && <ShareImage {...props} />}</Suspense>
      {dialog === "rename" && <RenameImage {...props} />}
      {dialog === "push" && <PushImage {...props} />}
      {dialog === "delete" && <DeleteImage {...props} />}
    </>
  );
}
