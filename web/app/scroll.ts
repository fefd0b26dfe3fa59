/**
 * Where a list of fixed-height rows is scrolled to, for any number of rows.
 * Browsers clamp the height of elements (Firefox near 17.9 million px), so above `heightMax` the scroll bar covers a
 * shorter, *physical* height: small moves are taken 1:1, long ones (the thumb) in proportion, and once scrolling rests
 * the bar is put where the true position belongs. Arithmetic only; touches no element.
 *
 * S1  `top` is the truth: the offset in px of the first visible pixel in the full list.
 * S2  Below `heightMax`, `top` equals the scroll position.
 * S3  Every row can be reached exactly, whatever the count.
 */

/** Under every browser's clamp, and exact in the 32-bit floats that compositors use. */
export const heightMax = 8_000_000;

export class Scroll {
  top = 0;
  #rowHeight = 1;
  #count = 0;
  #viewHeight = 0;
  /** The scroll position that `top` was last brought in line with. */
  #bar = 0;
  /** What the wheel asked for and the bar did not do yet. */
  #asked = 0;

  /** Says what the list is now. Keeps the position as far as it still exists. */
  fit(count: number, rowHeight: number, viewHeight: number): void {
    if (rowHeight !== this.#rowHeight) this.top = (this.top / this.#rowHeight) * rowHeight;
    this.#count = count;
    this.#rowHeight = rowHeight;
    this.#viewHeight = viewHeight;
    this.top = Math.max(0, Math.min(this.top, this.#topMax));
  }

  get #fullHeight(): number {
    return this.#count * this.#rowHeight;
  }

  /** Height that the scrolled element is given. */
  get height(): number {
    return Math.min(this.#fullHeight, heightMax);
  }

  get #isScaled(): boolean {
    return this.#fullHeight > heightMax;
  }

  get #topMax(): number {
    return Math.max(0, this.#fullHeight - this.#viewHeight);
  }

  get #barMax(): number {
    return Math.max(0, this.height - this.#viewHeight);
  }

  get first(): number {
    return Math.max(0, Math.min(Math.floor(this.top / this.#rowHeight), this.#count - 1));
  }

  get last(): number {
    return Math.max(0, Math.min(Math.ceil((this.top + this.#viewHeight) / this.#rowHeight) - 1, this.#count - 1));
  }

  /** Rows that fit as a whole; what PageDown moves by. */
  get rowsInView(): number {
    return Math.max(1, Math.floor(this.#viewHeight / this.#rowHeight));
  }

  /** Where the row is drawn inside the scrolled element. */
  place(index: number): number {
    return this.#isScaled ? index * this.#rowHeight - this.top + this.#bar : index * this.#rowHeight;
  }

  /** The wheel asks for so many px, beyond what it asked for before where it goes on turning. */
  wheeled(delta: number, isGoingOn: boolean): void {
    this.#asked = isGoingOn ? this.#asked + delta : delta;
  }

  /**
   * Takes a scroll position from the browser, and whether a wheel moved it: then however far it went, it went 1:1.
   * At an end of the bar that is none of the list, the list does what the bar could not.
   * Answers whether the bar has to be put right at once.
   */
  moved(bar: number, isWheel: boolean): boolean {
    const delta = bar - this.#bar;
    this.#bar = bar;
    this.#asked = isWheel ? this.#asked - delta : 0;
    if (!this.#isScaled) {
      this.top = Math.max(0, Math.min(bar, this.#topMax));
      return false;
    }
    if (!isWheel && Math.abs(delta) > 2 * this.#viewHeight) this.top = bar * (this.#topMax / Math.max(1, this.#barMax));
    else this.top += delta;
    this.top = Math.max(0, Math.min(this.top, this.#topMax));
    const isAtStart = bar <= 0 && this.top > 0;
    const isAtEnd = bar >= this.#barMax - 1 && this.top < this.#topMax;
    if ((isAtStart && this.#asked < 0) || (isAtEnd && this.#asked > 0)) {
      this.top = Math.max(0, Math.min(this.top + this.#asked, this.#topMax));
      this.#asked = 0;
    }
    return isAtStart || isAtEnd;
  }

  /** The scroll position that belongs to `top`. */
  get bar(): number {
    return this.#isScaled ? this.top * (this.#barMax / Math.max(1, this.#topMax)) : this.top;
  }

  /** Says where the browser really put the bar; it rounds and clamps. */
  settled(bar: number): void {
    this.#bar = bar;
  }

  /** Goes where the row is in the middle, as far as the list allows; to its top where there is no room to be seen in yet. */
  center(index: number): void {
    this.top = Math.max(0, Math.min((index + 0.5) * this.#rowHeight - Math.max(this.#viewHeight, this.#rowHeight) / 2, this.#topMax));
  }

  /** Goes where the row is wholly visible, by the shortest way. */
  reveal(index: number): void {
    const start = index * this.#rowHeight;
    if (start < this.top) this.top = start;
    else if (start + this.#rowHeight > this.top + this.#viewHeight) this.top = start + this.#rowHeight - this.#viewHeight;
    this.top = Math.max(0, Math.min(this.top, this.#topMax));
  }
}
