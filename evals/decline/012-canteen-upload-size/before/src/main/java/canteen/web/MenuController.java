package canteen.web;

import canteen.model.Menu;
import canteen.service.MenuService;
import java.time.LocalDate;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/menus")
public class MenuController {

    private static final int MAX_DAYS = 14;

    private final MenuService menus;

    public MenuController(MenuService menus) {
        this.menus = menus;
    }

    @GetMapping
    public List<Menu> upcoming() {
        return menus.from(LocalDate.now(), MAX_DAYS);
    }

    @GetMapping("/{day}")
    public Menu ofDay(@PathVariable LocalDate day) {
        return menus.on(day);
    }
}
