# -*- coding: gbk -*-
name = "测试"
x = 1  # a — b
