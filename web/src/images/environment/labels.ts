/** Labels of the fields of an environment. */
export const ENVIRONMENT_LABELS: Record<string, string> = {
  base: "Base image",
  accelerator: "Accelerator",
  system: "System packages",
  python: "Python",
  requirements: "Python packages",
  inherit: "Packages from the base",
  lock: "Lock",
  variables: "Variables",
  files: "Files",
  commands: "Build commands",
  test: "Test",
  labels: "Labels",
};
