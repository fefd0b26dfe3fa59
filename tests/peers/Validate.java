// Validates archives with jwarc, as its command `validate` does, in one process. Paths on standard input, one a line;
// on standard output "ok PATH" or "bad PATH<TAB>WHY".
import java.io.*;
import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.tools.ValidateTool;

public class Validate {
    public static void main(String[] args) throws Exception {
        Method validate = ValidateTool.class.getDeclaredMethod("validate", WarcReader.class);
        validate.setAccessible(true);
        PrintStream out = System.out;
        BufferedReader paths = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path = paths.readLine(); path != null; path = paths.readLine()) {
            ByteArrayOutputStream told = new ByteArrayOutputStream();
            PrintStream teller = new PrintStream(told, true, "UTF-8");
            System.setErr(teller);
            System.setOut(teller);
            String why = null;
            try (WarcReader reader = new WarcReader(Paths.get(path))) {
                boolean isValid = (Boolean) validate.invoke(new ValidateTool(false), reader);
                if (!isValid) why = told.toString("UTF-8");
            } catch (InvocationTargetException problem) {
                why = String.valueOf(problem.getCause());
            } catch (Throwable problem) {
                why = String.valueOf(problem);
            }
            out.println(why == null ? "ok " + path : "bad " + path + "\t" + why.replaceAll("\\s+", " "));
            out.flush();
        }
    }
}
