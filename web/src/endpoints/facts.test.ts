import { describe, expect, it } from "vitest";
import {
  availabilityOf,
  factOf,
  gpuText,
  limitText,
  type Partition,
  type Profile,
  sortPartitions,
} from "./facts";

function partition(name: string, more: Partial<Partition> = {}): Partition {
  return { name, default: false, ...more } as Partition;
}

function profile(values: Record<string, unknown>): Profile {
  return { version: 1, probed_at: 1, facts: {}, corrections: {}, values } as unknown as Profile;
}

describe("a site profile", () => {
  it("holds what the service says that holds", () => {
    expect(factOf(profile({ cores: 4 }), "cores")).toBe(4);
    expect(factOf(profile({}), "cores")).toBeUndefined();
  });

  it("names GPUs and leaves out types with none", () => {
    expect(gpuText({ a100: 4, v100: 0 })).toBe("4 × a100");
    expect(gpuText({})).toBe("");
    expect(gpuText(null)).toBe("");
  });

  it("tells only the limits that are set", () => {
    const gpu = partition("gpu", { max_minutes: 120, max_nodes: 1 });
    expect(limitText(gpu)).toBe("at most 2 h, 1 node");
    expect(limitText(partition("free"))).toBe("");
  });

  it("shows the default partition first, then those with GPUs", () => {
    const all = [partition("b"), partition("a"), partition("g", { gpus_per_node: { a100: 1 } })];
    const named = sortPartitions([...all, partition("z", { default: true })]).map(
      (partition) => partition.name,
    );
    expect(named).toEqual(["z", "g", "a", "b"]);
  });

  it("counts free GPUs where a partition has some, else nodes", () => {
    const free = { gpu: { nodes_idle: 1, nodes_total: 2, gpus_idle: 5 }, cpu: { nodes_idle: 1 } };
    const known = profile({ free });
    const gpu = partition("gpu", { gpus_per_node: { a100: 4 } });
    expect(availabilityOf(known, gpu)).toEqual({ free: 5, total: 8, unit: "GPU" });
    expect(availabilityOf(known, partition("cpu", { nodes_total: 3 }))).toEqual({
      free: 1,
      total: 3,
      unit: "node",
    });
    expect(availabilityOf(known, partition("elsewhere"))).toBeNull();
  });
});
