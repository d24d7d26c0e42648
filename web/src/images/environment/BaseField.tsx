import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { showValue } from "~/jobs/spec/values";
import { ImagePicker } from "../ImagePicker";
import { BASE_KINDS, type BaseKind, baseKind, USUAL_BASES } from "./base";
import { useEnvironmentField } from "./context";
import { EnvironmentChoice, EnvironmentText } from "./fields";

/** What the image is built on. */
export function BaseField() {
  const field = useEnvironmentField("base");
  const base = showValue(field.value);
  const [chosen, setChosen] = useState<BaseKind>(baseKind(base));
  const kind = base ? baseKind(base) : chosen;
  const chosenKind = BASE_KINDS.find((candidate) => candidate.value === kind) ?? BASE_KINDS[0];
  const choose = (next: string) => {
    setChosen(next as BaseKind);
    if (baseKind(base) !== next) field.set(undefined);
  };
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Kind of base"
        data={BASE_KINDS.map(({ value, label }) => ({ value, label }))}
        value={kind}
        onChange={choose}
        orientation="horizontal"
        style={{ flexWrap: "wrap" }}
      />
      <Text size="sm" c="dimmed">
        {chosenKind.help}
      </Text>
      {kind === "registry" && (
        <EnvironmentChoice path="base" data={USUAL_BASES} placeholder={chosenKind.example} />
      )}
      {kind === "file" && <EnvironmentText path="base" placeholder={chosenKind.example} />}
      {kind === "mine" && <OwnImage base={base} />}
      {kind === "none" && field.fault && (
        <Text size="sm" c="var(--mantine-color-error)">
          {field.fault}
        </Text>
      )}
    </Stack>
  );
}

function OwnImage({ base }: { base: string }) {
  const field = useEnvironmentField("base");
  return (
    <ImagePicker
      id={field.id}
      label="Base image"
      fault={field.fault}
      value={base.replace(/^image:/, "")}
      onPick={(image) => field.set(image ? `image:${image.identity}` : undefined)}
      onBlur={field.touch}
    />
  );
}
