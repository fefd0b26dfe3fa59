// What the linear hash that this one grew from took, in seconds for so many operations: the tables of its author's talk
// (San Jose State University, December 2021; Intel i5-10210U, SSD, Windows 10). A column's size is that of key and value.

export const COUNTS = [10_000, 20_000, 50_000, 100_000];

/** Seconds by key size, for each of COUNTS. */
export const INSERT = {
  4: [19.5812, 40.5785, 135.2164, 294.1901],
  8: [13.7196, 29.562, 115.9305, 286.4809],
  16: [10.714, 29.2961, 110.8547, 290.2886],
  32: [11.0392, 29.1158, 111.2843, 295.3691],
};

export const GET = {
  4: [8.4741, 22.6415, 77.5042, 103.5246],
  8: [6.0003, 18.2303, 53.4573, 91.2837],
  16: [4.0419, 11.5651, 50.5842, 92.4166],
  32: [4.2534, 11.5278, 55.6155, 91.2974],
};

/** Seconds by the number of buckets that the file began with. The talk says 32 bytes; its column of 2 is that of 4. */
export const BUCKETS = {
  2: [19.5812, 40.5785, 135.2164, 294.1901],
  256: [6.1263, 14.3429, 43.1485, 195.3374],
  1024: [6.0912, 15.2482, 41.6578, 156.721],
};

/** Seconds for records of about 20 kB, which the talk has up to 50,000 of; parsing them is in it. */
export const RECORDS = { 20_000: [71.5156, 148.0942, 432.8688] };
