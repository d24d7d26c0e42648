import type { SpecDraft } from "~/jobs/spec/draft";

/** Good starting points: a framework and the hardware it runs on. The service validates what they fill in. */
export const FRAMEWORKS = [
  { value: "pytorch", label: "PyTorch" },
  { value: "jax", label: "JAX" },
  { value: "tensorflow", label: "TensorFlow" },
  { value: "python", label: "Plain Python" },
] as const;

export const HARDWARE = [
  { value: "cpu", label: "CPU" },
  { value: "cuda", label: "NVIDIA (CUDA)" },
  { value: "rocm", label: "AMD (ROCm)" },
] as const;

export type Framework = (typeof FRAMEWORKS)[number]["value"];
export type Hardware = (typeof HARDWARE)[number]["value"];

type Starter = { base: string; accelerator?: string; requirements?: string[]; system?: string[] };

const PYTHON = "docker://python:3.12-slim";

const STARTERS: Record<Framework, Record<Hardware, Starter>> = {
  pytorch: {
    cpu: { base: PYTHON, accelerator: "cpu", requirements: ["torch"] },
    cuda: { base: PYTHON, accelerator: "cuda-12.8", requirements: ["torch"] },
    rocm: { base: PYTHON, accelerator: "rocm-6.4", requirements: ["torch"] },
  },
  jax: {
    cpu: { base: PYTHON, requirements: ["jax"] },
    cuda: { base: PYTHON, requirements: ["jax[cuda12]"] },
    rocm: { base: "docker://rocm/jax:latest" },
  },
  tensorflow: {
    cpu: { base: PYTHON, requirements: ["tensorflow-cpu"] },
    cuda: { base: PYTHON, requirements: ["tensorflow[and-cuda]"] },
    rocm: { base: "docker://rocm/tensorflow:latest" },
  },
  python: {
    cpu: { base: PYTHON },
    cuda: {
      base: "docker://nvidia/cuda:12.8.1-runtime-ubuntu24.04",
      system: ["python3", "python3-venv"],
    },
    rocm: { base: "docker://rocm/dev-ubuntu-24.04:latest", system: ["python3", "python3-venv"] },
  },
};

const FILLED_IN = new Set(
  Object.values(STARTERS)
    .flatMap((starters) => Object.values(starters))
    .flatMap(({ requirements = [] }) => requirements),
);

/** The environment with a starter filled in; packages of another starter go, a person's own stay. */
export function withStarter(spec: SpecDraft, framework: Framework, hardware: Hardware): SpecDraft {
  const starter = STARTERS[framework][hardware];
  const before = listOf(spec.requirements).filter((line) => !FILLED_IN.has(line));
  const requirements = [...(starter.requirements ?? []), ...before];
  const system = [...new Set([...(starter.system ?? []), ...listOf(spec.system)])];
  const { accelerator: _, ...rest } = spec;
  return {
    ...rest,
    base: starter.base,
    ...(starter.accelerator && { accelerator: starter.accelerator }),
    requirements: requirements.length ? requirements : undefined,
    system: system.length ? system : undefined,
  };
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
