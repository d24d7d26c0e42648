import { ActionIcon, Menu, TextInput } from "@mantine/core";
import { IconDots, IconGitFork, IconShieldCheck, IconTag, IconTagOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { FormDialog } from "~/components/FormDialog";
import { MenuItem } from "~/components/MenuItem";
import { type Model, type ModelVersion, modelsApi } from "~/models/api";
import { useModelAction } from "./useModelAction";

type VersionProps = { model: Model; version: ModelVersion };

/** Actions on one version. */
export function VersionMenu({ model, version }: VersionProps) {
  const [isNaming, setNaming] = useState(false);
  const remove = useModelAction({
    call: (alias: string) => modelsApi.removeAlias(model.id, alias),
    success: "Alias removed",
  });
  const keep = useModelAction({
    call: () => modelsApi.keep(model.id, version.number),
    success: ({ message }) => message,
  });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" aria-label={`Actions for version ${version.number}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconGitFork size={16} aria-hidden />}
            renderRoot={(props) => (
              <Link to="/lineage" search={{ of: version.digest }} {...props} />
            )}
          >
            Lineage
          </Menu.Item>
          {model.is_own && (
            <>
              <MenuItem icon={IconTag} onClick={() => setNaming(true)}>
                Set an alias…
              </MenuItem>
              <MenuItem icon={IconShieldCheck} onClick={() => keep.run()}>
                Keep a copy
              </MenuItem>
            </>
          )}
          {(model.is_own ? version.aliases : []).map((alias) => (
            <MenuItem key={alias} icon={IconTagOff} danger onClick={() => remove.run(alias)}>
              Remove {alias}
            </MenuItem>
          ))}
        </Menu.Dropdown>
      </Menu>
      {isNaming && <AliasDialog model={model} version={version} onClose={() => setNaming(false)} />}
    </>
  );
}

function AliasDialog({ model, version, onClose }: VersionProps & { onClose: () => void }) {
  const [alias, setAlias] = useState("");
  const known = model.aliases.find((other) => other.alias === alias);
  const set = useModelAction({
    call: () => modelsApi.setAlias(model.id, alias.trim(), version.number),
    success: `${alias} is v${version.number}`,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Set an alias for v${version.number}`}
      submitLabel={known ? `Move it from v${known.version}` : "Set alias"}
      isPending={set.isPending}
      isReady={Boolean(alias.trim())}
      error={set.error}
      onSubmit={() => set.run()}
      onClose={onClose}
    >
      <TextInput
        label="Alias"
        description={`Use it as ${model.name}@${alias || "production"}.`}
        placeholder="production"
        value={alias}
        onChange={(event) => setAlias(event.currentTarget.value)}
        spellCheck={false}
        data-autofocus
      />
    </FormDialog>
  );
}
