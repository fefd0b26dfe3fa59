/** Links to an archived page, after the `#`: `#archive=ADDRESS&url=URL&ts=20140503172000`. The archive may stand in `?src=` too. */
import type { Address } from "./state.js";

/** 14 digits or the first of them, in UTC, as milliseconds since 1970. */
export function timeOf(digits: string): number | undefined {
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00"] = /^(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?$/.exec(digits) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}

export function addressIn(hash: string): { readonly archive: string | null; readonly address: Address | undefined } {
  const fields = new URLSearchParams(hash.slice(1));
  const url = fields.get("url");
  return { archive: fields.get("archive"), address: url === null ? undefined : { url, captured: timeOf(fields.get("ts") ?? "") } };
}

/** Whether a viewer can ask for what has this address. */
export const isReachable = (address: string): boolean => /^(?:https?|s3):/.test(address);

/** What the address bar says is open, in the form it was given, and which page of it is shown. */
export function linked(): { readonly source: string | null; readonly address: Address | undefined } {
  const here = new URL(location.href);
  const { archive, address } = addressIn(here.hash);
  return { source: here.searchParams.get("src") ?? archive, address };
}

export const meant = (source: string): string => (URL.canParse(source, document.baseURI) ? new URL(source, document.baseURI).href : source);
