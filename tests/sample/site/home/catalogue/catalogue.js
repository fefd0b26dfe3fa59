// Fetches the catalogue, shows it as a table and narrows it while you type.
const table = document.getElementById("books");
const count = document.getElementById("count");
const needle = document.getElementById("needle");

const response = fetch("/catalogue/catalogue.json");

function show(books, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = books.filter((book) => wanted.every((word) => Object.values(book).join(" ").toLowerCase().includes(word)));
  table.replaceChildren(...found.map((book) => {
    const row = document.createElement("tr");
    for (const cell of [book.step + "." + book.place, book.title, book.writer, book.year, book.subject]) {
      row.insertCell().textContent = cell;
    }
    return row;
  }));
  count.textContent = found.length === books.length ? books.length + " books, and the rest of the tower" : found.length + " of " + books.length + " books";
}

response.then((answer) => answer.json()).then(({ books }) => {
  needle.value = new URLSearchParams(location.search).get("q") ?? "";
  needle.addEventListener("input", () => show(books, needle.value));
  show(books, needle.value);
}).catch(() => { count.textContent = "The catalogue drawer is stuck. Please ask at the desk."; });
