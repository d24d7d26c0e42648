import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { showValue } from "~/pages/composer/spec/values";
import { BASE_KINDS, type BaseKind, baseKind, USUAL_BASES } from "./base";
import { useEnvironment } from "./context";
import { ChoicePart, TextPart } from "./fields";
import { ImagePicker } from "./ImagePicker";

/** What the image is built on. */
export function BaseField() {
  const field = useEnvironment("base");
  const base = showValue(field.value);
  const [chosen, setChosen] = useState<BaseKind>(baseKind(base));
  const kind = base ? baseKind(base) : chosen;
  const words = BASE_KINDS.find((one) => one.value === kind) ?? BASE_KINDS[0];
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
        {words.help}
      </Text>
      {kind === "registry" && (
        <ChoicePart path="base" data={USUAL_BASES} placeholder={words.example} />
      )}
      {kind === "file" && <TextPart path="base" placeholder={words.example} />}
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
  const field = useEnvironment("base");
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
