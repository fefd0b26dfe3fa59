/** Choices about the library that are kept from visit to visit. */

type Setting = "keep" | "kept" | "browse" | "facets" | "searches" | "starred";

export function readSetting(name: Setting): string | undefined {
  try {
    return localStorage.getItem(`stackroom.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeSetting(name: Setting, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`stackroom.${name}`);
    else localStorage.setItem(`stackroom.${name}`, value);
  } catch {
    return;
  }
}
