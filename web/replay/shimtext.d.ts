/** The markup that is put first into archived documents. The build writes the module from `shim.ts`. */
export declare const SHIM: string;
