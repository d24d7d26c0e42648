import { expect, test } from "vitest";
import { folderCorrections } from "./folders";

const probed = {
  keep: { path: "/home/me", free_bytes: 7, quota_bytes: 10 },
  work: { path: "/scratch/me", free_bytes: 5, quota_bytes: null, purge_days: null },
};

test("a correction of folders says only what differs, never how much is free", () => {
  const work = { ...probed.work, purge_days: 30 };
  expect(folderCorrections({ ...probed, work }, probed)).toEqual({
    work: { path: "/scratch/me", purge_days: 30 },
  });
});

test("a folder that is as probed needs no word; an emptied field is one", () => {
  expect(folderCorrections(probed, probed)).toBeNull();
  const keep = { ...probed.keep, quota_bytes: null };
  expect(folderCorrections({ ...probed, keep }, probed)).toEqual({
    keep: { path: "/home/me", quota_bytes: null },
  });
});
