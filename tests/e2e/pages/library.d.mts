export function serveLibrary(): Promise<{ url: string; close(): Promise<unknown> }>;
