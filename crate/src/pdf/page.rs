//! What a page draws: its text is followed through its stream, and through the streams that it draws within.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Stream, String as Text};
use hayro_syntax::page::{Page, Resources};

use super::encoding::text_string;
use super::font::Font;
use super::layout::{Drawn, Layout};
use super::matrix::Matrix;
use super::pictures::without_pictures;
use crate::limits::{PDF_LEVELS_MAX, PDF_STATES_MAX};

pub type Fonts = HashMap<ObjectIdentifier, Rc<Font>>;

/// Draws a page. `steps` is how much more may be drawn of the file.
pub fn show(page: &Page<'_>, fonts: &mut Fonts, steps: &mut u64, layout: &mut Layout) {
    let mut canvas = Canvas {
        fonts,
        steps,
        layout,
        marks: Vec::new(),
        instead: None,
    };
    // Pages may share what is long.
    if let Some(pieces) = page.raw().get::<Array<'_>>("Contents") {
        canvas.spend(pieces.data().len());
    }
    let content = without_pictures(page.page_stream().unwrap_or_default());
    canvas.spend(content.len() / 8);
    canvas.draw(
        TypedIter::new(&content),
        page.resources(),
        &State::default(),
        0,
    );
}

#[derive(Clone)]
struct State {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f32,
    letter_gap: f32,
    word_gap: f32,
    scale: f32,
    leading: f32,
    rise: f32,
}

impl Default for State {
    fn default() -> State {
        State {
            matrix: Matrix::IDENTITY,
            font: None,
            size: 0.0,
            letter_gap: 0.0,
            word_gap: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

/// Where the next letter goes, and the line that it is on.
#[derive(Clone, Copy)]
struct Pen {
    at: Matrix,
    line: Matrix,
}

impl Pen {
    fn next_line(&mut self, x: f32, y: f32) {
        self.line = Matrix::moved(x, y).then(self.line);
        self.at = self.line;
    }
}

struct Canvas<'c> {
    fonts: &'c mut Fonts,
    steps: &'c mut u64,
    layout: &'c mut Layout,
    /// Parts of the content that are marked and did not end: those that say themselves what they are.
    marks: Vec<bool>,
    /// What the part says that it is; nothing once that was taken.
    instead: Option<String>,
}

impl Canvas<'_> {
    fn draw(
        &mut self,
        mut operations: TypedIter<'_>,
        resources: &Resources<'_>,
        before: &State,
        level: usize,
    ) {
        let mut state = before.clone();
        let mut saved = Vec::new();
        let mut pen = Pen {
            at: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
        };
        let marks = self.marks.len();
        // Names are those of this stream.
        let mut named: HashMap<Vec<u8>, Rc<Font>> = HashMap::new();
        while let Some(operation) = operations.next() {
            if *self.steps == 0 || self.layout.is_full() {
                break;
            }
            *self.steps -= 1;
            match operation {
                TypedInstruction::SaveState(_) if saved.len() < PDF_STATES_MAX => {
                    saved.push(state.clone())
                }
                TypedInstruction::RestoreState(_) => state = saved.pop().unwrap_or(state),
                TypedInstruction::Transform(op) => {
                    state.matrix =
                        Matrix::of([op.0, op.1, op.2, op.3, op.4, op.5]).then(state.matrix)
                }
                TypedInstruction::BeginText(_) => {
                    pen = Pen {
                        at: Matrix::IDENTITY,
                        line: Matrix::IDENTITY,
                    }
                }
                TypedInstruction::TextFont(op) => {
                    state.size = op.1.as_f32();
                    state.font = match named.get(op.0.as_ref() as &[u8]) {
                        Some(font) => Some(font.clone()),
                        None => self.font(op.0, resources),
                    };
                    if let Some(font) = &state.font {
                        named.insert(op.0.as_ref().to_vec(), font.clone());
                    }
                }
                TypedInstruction::CharacterSpacing(op) => state.letter_gap = op.0.as_f32(),
                TypedInstruction::WordSpacing(op) => state.word_gap = op.0.as_f32(),
                TypedInstruction::HorizontalScaling(op) => state.scale = op.0.as_f32() / 100.0,
                TypedInstruction::TextLeading(op) => state.leading = op.0.as_f32(),
                TypedInstruction::TextRise(op) => state.rise = op.0.as_f32(),
                TypedInstruction::NextLine(op) => pen.next_line(op.0.as_f32(), op.1.as_f32()),
                TypedInstruction::NextLineAndSetLeading(op) => {
                    state.leading = -op.1.as_f32();
                    pen.next_line(op.0.as_f32(), op.1.as_f32());
                }
                TypedInstruction::SetTextMatrix(op) => {
                    pen.line = Matrix::of([op.0, op.1, op.2, op.3, op.4, op.5]);
                    pen.at = pen.line;
                }
                TypedInstruction::NextLineUsingLeading(_) => pen.next_line(0.0, -state.leading),
                TypedInstruction::ShowText(op) => self.text(op.0, &state, &mut pen),
                TypedInstruction::NextLineAndShowText(op) => {
                    pen.next_line(0.0, -state.leading);
                    self.text(op.0, &state, &mut pen);
                }
                TypedInstruction::ShowTextWithParameters(op) => {
                    (state.word_gap, state.letter_gap) = (op.0.as_f32(), op.1.as_f32());
                    pen.next_line(0.0, -state.leading);
                    self.text(op.2, &state, &mut pen);
                }
                TypedInstruction::ShowTexts(op) => self.texts(op.0, &state, &mut pen),
                TypedInstruction::XObject(op) => {
                    if let Some(form) = resources.get_x_object(op.0) {
                        self.form(&form, resources, &state, level);
                    }
                }
                TypedInstruction::BeginMarkedContent(_) => self.mark(None),
                TypedInstruction::BeginMarkedContentWithProperties(op) => {
                    let properties = match op.1 {
                        Object::Dict(properties) => Some(properties.clone()),
                        Object::Name(name) => resources.properties.get::<Dict<'_>>(name),
                        _ => None,
                    };
                    self.spend(properties.as_ref().map_or(0, |all| all.data().len()));
                    self.mark(properties.and_then(|all| all.get::<Text<'_>>("ActualText")));
                }
                TypedInstruction::EndMarkedContent(_) if self.marks.len() > marks => {
                    self.marks.pop();
                }
                _ => {}
            }
        }
        self.marks.truncate(marks);
    }

    /// What is read may be long, and read as often as it is drawn.
    fn spend(&mut self, bytes: usize) {
        *self.steps = self.steps.saturating_sub(bytes as u64);
    }

    fn mark(&mut self, text: Option<Text<'_>>) {
        if self.marks.len() > PDF_LEVELS_MAX {
            return;
        }
        let is_within = self.is_told_otherwise();
        self.marks.push(text.is_some() && !is_within);
        if let Some(text) = text.filter(|_| !is_within) {
            self.instead = Some(text_string(&text));
        }
    }

    /// What is drawn is not what it says.
    fn is_told_otherwise(&self) -> bool {
        self.marks.contains(&true)
    }

    fn font(&mut self, name: &Name<'_>, resources: &Resources<'_>) -> Option<Rc<Font>> {
        let dict = resources.get_font(name)?;
        self.spend(dict.data().len());
        let id = resources
            .fonts
            .get_ref(name.as_ref() as &[u8])
            .map(|_| dict.obj_id());
        let Some(id) = id.flatten() else {
            let font = Font::of(&dict);
            self.spend(font.bytes_read);
            return Some(Rc::new(font));
        };
        let font = self
            .fonts
            .entry(id)
            .or_insert_with(|| Rc::new(Font::of(&dict)));
        Some(font.clone())
    }

    fn form(&mut self, form: &Stream<'_>, around: &Resources<'_>, state: &State, level: usize) {
        let dict = form.dict();
        self.spend(dict.data().len());
        let is_form = dict
            .get::<Name<'_>>("Subtype")
            .is_some_and(|kind| kind.as_ref() as &[u8] == b"Form");
        if !is_form || level >= PDF_LEVELS_MAX {
            return;
        }
        let Ok(data) = form.decoded() else { return };
        self.spend(data.len());
        let mut state = state.clone();
        if let Some(matrix) = dict.get::<[f32; 6]>("Matrix") {
            state.matrix = Matrix(matrix).then(state.matrix);
        }
        let own = dict.get::<Dict<'_>>("Resources");
        self.spend(own.as_ref().map_or(0, |own| own.data().len()));
        let own = own.map(Resources::new);
        self.draw(
            TypedIter::new(&without_pictures(&data)),
            own.as_ref().unwrap_or(around),
            &state,
            level + 1,
        );
    }

    fn texts(&mut self, all: &Array<'_>, state: &State, pen: &mut Pen) {
        for one in all.iter::<Object<'_>>() {
            match one {
                Object::String(text) => self.text(&text, state, pen),
                Object::Number(back) => {
                    let gap = -back.as_f32() / 1_000.0 * state.size;
                    let is_vertical = state.font.as_ref().is_some_and(|font| font.is_vertical);
                    let (x, y) = if is_vertical {
                        (0.0, gap)
                    } else {
                        (gap * state.scale, 0.0)
                    };
                    pen.at = Matrix::moved(x, y).then(pen.at);
                }
                _ => {}
            }
        }
    }

    fn text(&mut self, text: &[u8], state: &State, pen: &mut Pen) {
        let Some(font) = state.font.clone() else {
            return;
        };
        self.spend(text.len());
        let is_told_otherwise = self.is_told_otherwise();
        font.glyphs(text, |glyph| {
            let gaps = state.letter_gap + if glyph.is_blank { state.word_gap } else { 0.0 };
            let (x, y) = match font.is_vertical {
                true => (0.0, -glyph.advance * state.size + gaps),
                false => ((glyph.advance * state.size + gaps) * state.scale, 0.0),
            };
            let place = pen.at.then(state.matrix);
            // Without the gap behind it, which is one if it is wide.
            let (own_x, own_y) = match font.is_vertical {
                true => (0.0, -glyph.advance * state.size),
                false => (glyph.advance * state.size * state.scale, 0.0),
            };
            let (from, to) = (
                place.point(0.0, state.rise),
                place.point(own_x, own_y + state.rise),
            );
            pen.at = Matrix::moved(x, y).then(pen.at);
            let letters = match is_told_otherwise {
                true => self.instead.take().unwrap_or_default(),
                false => glyph.letters.to_owned(),
            };
            let origin = place.point(0.0, 0.0);
            let [way, up] = [place.point(1.0, 0.0), place.point(0.0, 1.0)]
                .map(|(x, y)| (x - origin.0, y - origin.1));
            let [width, height] = [way, up].map(|(x, y)| x.hypot(y));
            if width == 0.0 || height == 0.0 {
                return;
            }
            let unit = (way.0 / width, way.1 / width);
            // Down the page is the way of what is written vertically.
            let way = if font.is_vertical {
                (unit.1, -unit.0)
            } else {
                unit
            };
            self.layout.push(&Drawn {
                letters: &letters,
                from,
                to,
                way,
                height: height * state.size.abs(),
            });
        });
    }
}
