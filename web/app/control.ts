/** The key that commands take on this system. */
export const control = /mac|iphone|ipad/i.test(navigator.platform) ? "\u2318" : "Ctrl";
