import { Select, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { count, formatBytes } from "~/lib/format";
import { type Image, imageName, imageQuery, imageSearchQuery } from "./api";

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

/** Search for one of your images by name, base, package or digest. */
export function ImagePicker({ value, fault, onPick, ...rest }: ImagePickerProps) {
  const [search, setSearch] = useState("");
  const [settled] = useDebouncedValue(search.trim(), 250);
  const picked = useQuery({ ...imageQuery(value), enabled: Boolean(value), retry: false }).data;
  const isPicked = picked !== undefined && settled === imageName(picked);
  const { data } = useQuery({
    ...imageSearchQuery(isPicked ? "" : settled),
    placeholderData: keepPreviousData,
  });
  const matches = data?.items ?? [];
  const images =
    picked && !matches.some((image) => image.id === picked.id) ? [picked, ...matches] : matches;
  return (
    <Select
      {...rest}
      error={fault}
      placeholder="Search by name, package or base"
      nothingFoundMessage={data ? "No matching image" : "…"}
      data={images.map((image) => ({ value: image.id, label: imageName(image) }))}
      value={picked?.id ?? null}
      onChange={(id) => onPick(images.find((image) => image.id === id) ?? null)}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Clear the image" }}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <ImageOption image={images.find((image) => image.id === option.value)} />
      )}
      comboboxProps={{ keepMounted: false }}
      maw={520}
    />
  );
}

function ImageOption({ image }: { image: Image | undefined }) {
  if (!image) return null;
  const facts = [
    image.base.reference || "no container",
    image.python && `Python ${image.python}`,
    count(image.packages, "package"),
    formatBytes(image.size),
  ];
  return (
    <div>
      <Text size="sm">{imageName(image)}</Text>
      <Text size="xs" c="dimmed">
        {facts.filter(Boolean).join(", ")}
      </Text>
    </div>
  );
}
