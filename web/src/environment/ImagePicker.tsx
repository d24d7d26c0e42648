import { Select, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { foundImagesQuery, type Image, imageName, imageQuery } from "~/api/images";
import { bytes, count } from "~/lib/format";

type ImagePickerProps = {
  id?: string;
  label: string;
  description?: string;
  fault?: string;
  /** A name, an id, or a digest. */
  value: string;
  onPick: (image: Image | null) => void;
  onBlur?: () => void;
};

/** One of a person's images, found by a part of its name, its base, a package or a digest. */
export function ImagePicker({ value, fault, onPick, ...rest }: ImagePickerProps) {
  const [words, setWords] = useState("");
  const [settled] = useDebouncedValue(words.trim(), 250);
  const picked = useQuery({ ...imageQuery(value), enabled: Boolean(value), retry: false }).data;
  const isPicked = picked !== undefined && settled === imageName(picked);
  const { data } = useQuery({
    ...foundImagesQuery(isPicked ? "" : settled),
    placeholderData: keepPreviousData,
  });
  const found = data?.items ?? [];
  const images = picked && !found.some((one) => one.id === picked.id) ? [picked, ...found] : found;
  return (
    <Select
      {...rest}
      error={fault}
      placeholder="Search by name, package or base"
      nothingFoundMessage={data ? "No matching image" : "…"}
      data={images.map((one) => ({ value: one.id, label: imageName(one) }))}
      value={picked?.id ?? null}
      onChange={(id) => onPick(images.find((one) => one.id === id) ?? null)}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Clear the image" }}
      onSearchChange={setWords}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <Choice image={images.find((one) => one.id === option.value)} />
      )}
      comboboxProps={{ keepMounted: false }}
      maw={520}
    />
  );
}

function Choice({ image }: { image: Image | undefined }) {
  if (!image) return null;
  const words = [
    image.base.reference || "no container",
    image.python && `Python ${image.python}`,
    count(image.packages, "package"),
    bytes(image.size),
  ];
  return (
    <div>
      <Text size="sm">{imageName(image)}</Text>
      <Text size="xs" c="dimmed">
        {words.filter(Boolean).join(", ")}
      </Text>
    </div>
  );
}
