/** The script that marks places in a page, for `shim/asked.ts` there. The build writes the module from `shim/marks.ts`. */
export declare const MARKS: string;
