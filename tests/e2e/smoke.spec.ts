/** The page that a newcomer sees first: it loads in each browser from the production server, and nothing complains. */
import { expect, test } from "@playwright/test";

test("the viewer loads under its policy without a complaint", async ({ page }) => {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });

  const response = await page.goto("/");
  expect(response?.status()).toBe(200);
  expect(response?.headers()["content-security-policy"]).toContain("script-src 'self' 'wasm-unsafe-eval'");
  await expect(page).toHaveTitle(/Stackroom/);
  await expect(page.locator("body")).toContainText(/\w+/);
  expect(complaints).toEqual([]);
});

test("nothing is fetched from anywhere else", async ({ page, baseURL }) => {
  const strangers: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL ?? "") && !/^(data|blob):/.test(request.url())) strangers.push(request.url());
  });
  await page.goto("/");
  // What is fetched last.
  await expect(page.getByRole("heading", { name: "Library" })).toBeVisible();
  expect(strangers).toEqual([]);
});
